/**
 * Text for models: tokenizers as {@code tokenizer.json} describes them, encodings, pooling, embeddings, and text
 * generation.
 */
@NullMarked
package dev.millrace.text;

import org.jspecify.annotations.NullMarked;
