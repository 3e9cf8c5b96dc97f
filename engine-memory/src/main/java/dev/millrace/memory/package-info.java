/** Native memory: pages with their protection, and blocks of any size that nobody has to free. */
@NullMarked
package dev.millrace.memory;

import org.jspecify.annotations.NullMarked;
