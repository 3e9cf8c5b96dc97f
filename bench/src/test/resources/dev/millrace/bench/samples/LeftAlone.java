package samples;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Expressions that stay as they are. */
final class LeftAlone {
    interface Marker {}

    interface Kept extends Supplier<String>, Serializable {}

    interface Narrow extends Function<String, Integer> {
        @Override
        Integer apply(String text);
    }

    private LeftAlone() {}

    static Object concatenation() {
        int i = 1;
        long j = 2;
        Object nothing = null;
        return "a" + i + 'b' + j + 0.5f + nothing + true + "\u0001" + "\u0002";
    }

    static Object markers() {
        Supplier<String> marked = (Supplier<String> & Marker) () -> "marked";
        return marked.get() + (marked instanceof Marker);
    }

    static Object bridges() {
        Narrow narrow = String::length;
        Function<String, Integer> wide = narrow;
        return narrow.apply("abc") + wide.apply("de");
    }

    static Object serializableLambdas() throws Exception {
        int number = 5;
        Kept kept = () -> "kept " + number;
        Comparator<String> order = (Comparator<String> & Serializable) (a, b) -> b.compareTo(a);
        return List.of(copy(kept).get(), copy(order).compare("a", "b"));
    }

    @SuppressWarnings("unchecked")
    private static <T> T copy(T object) throws Exception {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (T) in.readObject();
        }
    }
}
