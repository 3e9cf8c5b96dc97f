/** Tests that compare texts and tokens with those of Hugging Face's tokenizers. */
@NullMarked
package dev.millrace.bench.text;

import org.jspecify.annotations.NullMarked;
