/** Searches in texts with counted cost: regular expressions, literals, and sets of texts. */
@NullMarked
package dev.millrace.text.pattern;

import org.jspecify.annotations.NullMarked;
