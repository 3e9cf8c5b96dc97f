/** Model packages: their manifests, and the places of their files. */
@NullMarked
package dev.millrace.session.modelpackage;

import org.jspecify.annotations.NullMarked;
