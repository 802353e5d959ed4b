// The way through the layers: a slider that lies between layers while it is dragged, and rests on one of them.

import { clear, give, h } from "../dom.js";
import { isStill } from "./motion.js";

/** layerSlider(host, { onDrag(position), onLayer(number) }) -> {update(titles, layer), show(position), close()} */
export function layerSlider(host, { onDrag, onLayer }) {
  let titles = [];
  let layer = 0;
  let playing = 0;
  const slider = h("input", {
    type: "range",
    min: 0,
    step: "any",
    "aria-label": "layer",
    "data-test": "layer-slider",
    oninput: () => (isStill() ? rest() : onDrag(Number(slider.value))),
    onchange: rest,
    onkeydown: pressed,
  });
  const names = h("div", { class: "layer-names" });
  const play = h("button", { class: "button", type: "button", "data-test": "layer-play", onclick: toggle });
  host.append(h("div", { class: "layer-slider" }, play, h("div", { class: "layer-track" }, slider, names)));
  labelPlay();

  function rest() {
    stop();
    onLayer(Math.round(Number(slider.value)));
  }

  function pressed(event) {
    const last = titles.length - 1;
    const to = {
      ArrowRight: layer + 1,
      ArrowUp: layer + 1,
      ArrowLeft: layer - 1,
      ArrowDown: layer - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    stop();
    onLayer(Math.min(Math.max(to, 0), last));
  }

  function toggle() {
    if (playing) return stop();
    const step = () => {
      if (layer >= titles.length - 1) return stop();
      onLayer(layer + 1);
    };
    if (layer >= titles.length - 1) onLayer(0);
    else step();
    playing = setInterval(step, 1400);
    labelPlay();
  }

  function stop() {
    clearInterval(playing);
    playing = 0;
    labelPlay();
  }

  function labelPlay() {
    clear(play, playing ? "❚❚ pause" : "▶ play");
    give(play, "aria-label", playing ? "pause the way through the layers" : "go through the layers");
  }

  return {
    update(given, number) {
      if (given.join() !== titles.join()) {
        titles = given;
        give(slider, "max", titles.length - 1);
        clear(
          names,
          ...titles.map((title, i) =>
            h(
              "button",
              { type: "button", class: "layer-name", tabindex: -1, onclick: () => (stop(), onLayer(i)) },
              title,
            ),
          ),
        );
      }
      layer = number;
      give(slider, "aria-valuetext", titles[layer]);
      [...names.children].forEach((one, i) => one.classList.toggle("current", i === layer));
    },
    show: (position) => {
      slider.value = String(position);
    },
    close: stop,
  };
}
