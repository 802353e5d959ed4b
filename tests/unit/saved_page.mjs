// Asks a saved page for cells, without a browser: node saved_page.mjs STATIC SNAPSHOT.json ASKED.json

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";

const [folder, snapshotPath, askedPath] = process.argv.slice(2);
const module = (path) => import(pathToFileURL(`${folder}/js/${path}`));
const { unpack } = await module("tensor.js");
const { answerOf } = await module("saved/answers.js");
const snapshot = JSON.parse(readFileSync(snapshotPath, "utf-8"));

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

async function stored(kind, which) {
  const packed = snapshot.answers[`saved ${kind}\n${canonical(which)}`];
  if (packed === undefined) return null;
  const bytes = inflateSync(Buffer.from(packed, "base64"));
  return unpack(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

const asked = JSON.parse(readFileSync(askedPath, "utf-8"));
const told = [];
for (const body of asked) told.push(await answerOf("cell", body, stored));
console.log(JSON.stringify(told));
