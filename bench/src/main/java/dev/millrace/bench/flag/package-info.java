/** The flags that several commands share. */
@NullMarked
package dev.millrace.bench.flag;

import org.jspecify.annotations.NullMarked;
