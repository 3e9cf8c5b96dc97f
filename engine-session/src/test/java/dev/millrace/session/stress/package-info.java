/** Sessions under many threads and models larger than the heap. */
@NullMarked
package dev.millrace.session.stress;

import org.jspecify.annotations.NullMarked;
