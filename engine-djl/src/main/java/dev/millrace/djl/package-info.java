/** An engine of DJL. */
@NullMarked
package dev.millrace.djl;

import org.jspecify.annotations.NullMarked;
