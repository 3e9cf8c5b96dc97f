package dev.millrace.djl;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The API of tokenizers in one of two jars, called by reflection. */
final class Side {
    private static final String PACKAGE = "ai.djl.huggingface.tokenizers.";
    private static final List<String> LONGS =
            List.of("getIds", "getTypeIds", "getWordIds", "getSequenceIds", "getAttentionMask", "getSpecialTokenMask");

    static final Side OURS = new Side(Side.class.getClassLoader());
    static final Side DJL = new Side(djl());

    private final ClassLoader loader;

    private Side(ClassLoader loader) {
        this.loader = loader;
    }

    ClassLoader loader() {
        return loader;
    }

    /** Returns a loader of DJL's jar and of all that it needs, without this module's classes. */
    private static ClassLoader djl() {
        try {
            var path = new ArrayList<URL>();
            path.add(Path.of(System.getProperty("tokenizers.jar")).toUri().toURL());
            for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
                if (each.endsWith(".jar")) {
                    path.add(Path.of(each).toUri().toURL());
                }
            }
            return new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName(PACKAGE + name, true, loader);
    }

    /** A call that may fail. */
    @FunctionalInterface
    interface Call {
        Object answer() throws Exception;
    }

    /** Makes a call with the loader of this side, where DJL looks for its native library. */
    Object inContext(Call call) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return call.answer();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    Object open(byte[] file, Map<String, String> options) throws Exception {
        Method method = type("HuggingFaceTokenizer").getMethod("newInstance", InputStream.class, Map.class);
        return inContext(() -> call(method, null, new ByteArrayInputStream(file), options));
    }

    /** Builds a tokenizer with these options. */
    Object build(Map<String, ?> options) throws Exception {
        Method method = type("HuggingFaceTokenizer").getMethod("builder", Map.class);
        return inContext(() -> get(call(method, null, options), "build"));
    }

    /** Skips the test where DJL's native library is not tried. */
    static void assumeLibrary() {
        boolean isThere = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeTrue(isThere, "the library is for other systems, or not tried there");
    }

    static Object call(Method method, @Nullable Object on, @Nullable Object... arguments) throws Exception {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** Calls the method of an object that takes values of these types. */
    static Object call(Object on, String name, Class<?>[] types, @Nullable Object... arguments) throws Exception {
        return call(on.getClass().getMethod(name, types), on, arguments);
    }

    static Object get(Object on, String name) throws Exception {
        return call(on, name, new Class<?>[0]);
    }

    /** Returns all that an encoding says, as text. */
    static String described(Object encoding, boolean withSpans) throws Exception {
        var text = new StringBuilder(Arrays.toString((String[]) get(encoding, "getTokens")));
        for (String name : LONGS) {
            text.append('\n').append(name).append(Arrays.toString((long[]) get(encoding, name)));
        }
        for (Object span : withSpans ? (Object[]) get(encoding, "getCharTokenSpans") : new Object[0]) {
            text.append(span == null ? " -" : " " + get(span, "getStart") + "-" + get(span, "getEnd"));
        }
        text.append("\nexceeds ").append(get(encoding, "exceedMaxLength"));
        for (Object each : (Object[]) get(encoding, "getOverflowing")) {
            text.append("\n  and ").append(described(each, withSpans));
        }
        return text.toString();
    }

    /** Whether each place of an encoding encloses that of another one. */
    static boolean encloses(Object encoding, Object other) throws Exception {
        Object[] spans = (Object[]) get(encoding, "getCharTokenSpans");
        Object[] inner = (Object[]) get(other, "getCharTokenSpans");
        for (int i = 0; i < spans.length; i++) {
            boolean isSame = spans[i] == null ? inner[i] == null : inner[i] != null && encloses(spans, inner, i);
            if (!isSame) {
                return false;
            }
        }
        return spans.length == inner.length;
    }

    private static boolean encloses(Object[] spans, Object[] inner, int i) throws Exception {
        return (int) get(spans[i], "getStart") <= (int) get(inner[i], "getStart")
                && (int) get(spans[i], "getEnd") >= (int) get(inner[i], "getEnd");
    }
}
