/** Pre-tokenizers, which split texts into words. */
@NullMarked
package dev.millrace.text.split;

import org.jspecify.annotations.NullMarked;
