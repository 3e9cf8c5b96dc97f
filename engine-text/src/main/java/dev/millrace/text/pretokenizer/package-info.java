/** Pre-tokenizers, which split texts into words. */
@NullMarked
package dev.millrace.text.pretokenizer;

import org.jspecify.annotations.NullMarked;
