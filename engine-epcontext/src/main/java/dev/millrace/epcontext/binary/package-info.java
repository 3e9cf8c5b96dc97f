/** The format of context binaries: tables, segments, checksums, locks, the identity of files. */
@NullMarked
package dev.millrace.epcontext.binary;

import org.jspecify.annotations.NullMarked;
