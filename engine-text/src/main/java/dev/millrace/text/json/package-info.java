/** The JSON tree of a {@code tokenizer.json}. */
@NullMarked
package dev.millrace.text.json;

import org.jspecify.annotations.NullMarked;
