package dev.millrace.onnxruntime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;

/** The jar of ONNX Runtime, which must not be on the same class path. */
public final class OtherJar {
    private OtherJar() {}

    /** Throws if the loader of {@code type} finds its class more than once. */
    public static void refuse(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        if (loader == null || type.getModule().isNamed()) {
            return; // a package is in one module only
        }
        try {
            List<URL> found =
                    Collections.list(loader.getResources(type.getName().replace('.', '/') + ".class"));
            if (found.size() > 1) {
                throw new IllegalStateException(
                        "ONNX Runtime's jar and millrace-onnxruntime are both on the class path; exclude one of "
                                + found);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
