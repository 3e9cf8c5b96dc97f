/** Model packages: what stands in their manifests, and where their files are. */
@NullMarked
package dev.millrace.session.pack;

import org.jspecify.annotations.NullMarked;
