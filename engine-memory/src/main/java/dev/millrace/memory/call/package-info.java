/** How native functions are called. */
@NullMarked
package dev.millrace.memory.call;

import org.jspecify.annotations.NullMarked;
