/** Post-processors, which add special tokens, and decoders, which turn tokens into text. */
@NullMarked
package dev.millrace.text.postprocessor;

import org.jspecify.annotations.NullMarked;
