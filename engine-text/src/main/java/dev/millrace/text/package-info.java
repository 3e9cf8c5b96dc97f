/**
 * Text for models: tokenizers as {@code tokenizer.json} describes them, encodings, pooling, embeddings, chat templates, and text
 * generation.
 */
@NullMarked
package dev.millrace.text;

import org.jspecify.annotations.NullMarked;
