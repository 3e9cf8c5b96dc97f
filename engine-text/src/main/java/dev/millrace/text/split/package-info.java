/** Text cut into words. */
@NullMarked
package dev.millrace.text.split;

import org.jspecify.annotations.NullMarked;
