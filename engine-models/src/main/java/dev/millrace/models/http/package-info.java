/** Downloads by HTTP, which go on where they were cut. */
@NullMarked
package dev.millrace.models.http;

import org.jspecify.annotations.NullMarked;
