/// The execution provider interface, the partitioner and the providers.
@NullMarked
package dev.millrace.providers;

import org.jspecify.annotations.NullMarked;
