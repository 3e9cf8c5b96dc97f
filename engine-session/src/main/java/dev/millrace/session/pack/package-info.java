/** Model packages: their manifests, and the places of their files. */
@NullMarked
package dev.millrace.session.pack;

import org.jspecify.annotations.NullMarked;
