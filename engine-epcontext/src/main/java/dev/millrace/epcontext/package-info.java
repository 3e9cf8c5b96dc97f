/// Context binaries and shared workspaces.
@NullMarked
package dev.millrace.epcontext;

import org.jspecify.annotations.NullMarked;
