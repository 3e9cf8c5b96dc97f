/// Context models and binaries, the workspaces that share them among sessions, and the cache that keeps them.
@NullMarked
package dev.millrace.epcontext;

import org.jspecify.annotations.NullMarked;
