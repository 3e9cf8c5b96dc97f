/** Text for models: tokenizers as {@code tokenizer.json} describes them, batches of tokens, pooling, embeddings. */
@NullMarked
package dev.millrace.text;

import org.jspecify.annotations.NullMarked;
