package dev.millrace.providers.cpu.elementwise;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Copies of a loop's class, one for each function of numbers. The JIT compiler vectorises such a loop while it has seen
 * only one function there; where all operators share a loop, each element costs a call.
 */
final class OwnLoops {
    /** The least elements for which a loop gets a class of its own. */
    private static final long MANY = 1 << 14;

    /** Whether classes can be made at run time, which a native image cannot do. */
    private static final boolean ARE_POSSIBLE = System.getProperty("org.graalvm.nativeimage.imagecode") == null;

    private static final Map<Key, MethodHandle> CONSTRUCTORS = new ConcurrentHashMap<>();

    private OwnLoops() {}

    /** A loop with one field, a function, which its constructor takes. */
    interface Loop {
        Object function();
    }

    private record Key(Class<?> loop, Class<?> function) {}

    /** Returns the loop, from {@link #MANY} elements on as an instance of a class of its own. */
    static <L> L of(L loop, long elements) {
        if (elements < MANY || !ARE_POSSIBLE || !(loop instanceof Loop known)) {
            return loop;
        }
        try {
            @SuppressWarnings("unchecked") // a copy of the loop's class implements what the class does
            L own = (L) constructor(loop.getClass(), known.function()).invoke(known.function());
            return own;
        } catch (Throwable e) {
            throw new IllegalStateException("a copy of " + loop.getClass() + " cannot be made", e);
        }
    }

    private static MethodHandle constructor(Class<?> loop, Object function) throws IOException, IllegalAccessException {
        var key = new Key(loop, function.getClass());
        MethodHandle known = CONSTRUCTORS.get(key);
        if (known == null) {
            known = copy(loop);
            MethodHandle before = CONSTRUCTORS.putIfAbsent(key, known);
            known = before == null ? known : before;
        }
        return known;
    }

    private static MethodHandle copy(Class<?> loop) throws IOException, IllegalAccessException {
        try (InputStream code = loop.getResourceAsStream(loop.getName().replaceFirst(".*\\.", "") + ".class")) {
            if (code == null) {
                throw new IOException("the code of " + loop + " is not there");
            }
            MethodHandles.Lookup copy = MethodHandles.lookup().defineHiddenClass(code.readAllBytes(), true);
            Class<?> function = loop.getDeclaredFields()[0].getType();
            MethodHandle constructor =
                    copy.findConstructor(copy.lookupClass(), MethodType.methodType(void.class, function));
            return constructor.asType(MethodType.methodType(Object.class, Object.class));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(loop + " has no such constructor", e);
        }
    }
}
