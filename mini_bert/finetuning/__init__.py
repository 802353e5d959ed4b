"""Fine-tuning: a pretrained model learns to tell classes of texts, of pairs of texts, or of words.

    task = labelled_task("mood", train, dev)              # or named_task("sentiment"), see sources.py
    result = finetune(model, task)                        # the encoder goes on learning, under a new head
    save_finetuned(result.model, "mood")                  # from_pretrained reads it, mini-bert predict uses it

The same settings for all tasks and models (`FinetuningConfig`); what simpler methods reach is told by
mini_bert/evaluation/downstream.
"""
