/** Text made alike before it is cut. */
@NullMarked
package dev.millrace.text.normal;

import org.jspecify.annotations.NullMarked;
