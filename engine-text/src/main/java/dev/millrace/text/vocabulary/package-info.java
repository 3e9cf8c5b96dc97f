/** Words cut into the tokens of a vocabulary. */
@NullMarked
package dev.millrace.text.vocabulary;

import org.jspecify.annotations.NullMarked;
