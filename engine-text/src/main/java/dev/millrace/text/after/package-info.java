/** What is put around tokens, and how they become text again. */
@NullMarked
package dev.millrace.text.after;

import org.jspecify.annotations.NullMarked;
