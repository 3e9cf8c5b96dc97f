package dev.millrace.onnxruntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that the drop-in refuses to load beside the jar that it replaces. */
@EnabledIfSystemProperty(named = "onnxruntime.jar", matches = ".+") // absent where the jar itself is tested
class OtherJarTest {
    private static URLClassLoader loader(List<String> paths) throws Exception {
        URL[] urls = new URL[paths.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = Path.of(paths.get(i)).toUri().toURL();
        }
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    private static Object environment(ClassLoader loader) throws Exception {
        Method get =
                Class.forName("ai.onnxruntime.OrtEnvironment", true, loader).getMethod("getEnvironment");
        return get.invoke(null);
    }

    @Test
    void bothJarsAreRefusedInOneSentence() throws Exception {
        var paths =
                new ArrayList<>(List.of(System.getProperty("java.class.path").split(File.pathSeparator)));
        paths.add(System.getProperty("onnxruntime.jar"));
        try (URLClassLoader loader = loader(paths)) {
            assertThatThrownBy(() -> environment(loader))
                    .isInstanceOf(ExceptionInInitializerError.class)
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("exclude one of")
                    .hasMessageContaining("onnxruntime-1.29.0.jar");
        }
    }

    @Test
    void aloneItLoads() throws Exception {
        try (URLClassLoader loader =
                loader(List.of(System.getProperty("java.class.path").split(File.pathSeparator)))) {
            assertThat(environment(loader))
                    .hasToString("OrtEnvironment(name=ort-java,logLevel=ORT_LOGGING_LEVEL_WARNING,version=1.29.0)");
        }
    }
}
