package samples;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The methods that the language gives to records. */
final class Records {
    record None() {}

    record Small(boolean z, byte b, char c, short s, int i) {}

    record Wide(long j, float f, double d) {}

    record Held(Object any, String text, int[] numbers, List<String> list) {}

    record Outer(Inner inner, Inner other) {}

    record Inner(int number) {}

    record Of<T extends Comparable<T>>(T value, T[] more) {}

    record Written(int a, int b) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Written written && written.a == a;
        }

        @Override
        public int hashCode() {
            return a;
        }

        @Override
        public String toString() {
            return "written by hand " + a;
        }
    }

    record Partly(int a, int b) {
        @Override
        public String toString() {
            return "partly " + a;
        }
    }

    private Records() {}

    /** Returns texts and hashes of objects, and which of them are equal. */
    private static String all(Object... objects) {
        var text = new StringBuilder();
        for (Object a : objects) {
            text.append(a).append('#').append(a.hashCode());
            for (Object b : objects) {
                text.append(a.equals(b) ? '=' : '/');
            }
            text.append(a.equals(null)).append(a.equals("other")).append('\n');
        }
        return text.toString();
    }

    static Object withoutComponents() {
        return all(new None(), new None());
    }

    static Object smallPrimitives() {
        return all(
                new Small(true, (byte) 1, 'c', (short) 2, 3),
                new Small(true, (byte) 1, 'c', (short) 2, 3),
                new Small(false, (byte) 1, 'c', (short) 2, 3),
                new Small(true, (byte) -1, 'c', (short) 2, 3),
                new Small(true, (byte) 1, '\u20ac', (short) 2, 3),
                new Small(true, (byte) 1, 'c', (short) -2, 3),
                new Small(true, (byte) 1, 'c', (short) 2, Integer.MIN_VALUE));
    }

    static Object widePrimitives() {
        return all(
                new Wide(1, 2, 3),
                new Wide(1L << 32 | 1, 2, 3),
                new Wide(1, 2.5f, 3),
                new Wide(1, 2, 3e100),
                new Wide(1, 2, 3));
    }

    static Object zerosAndWhatIsNoNumber() {
        float otherNan = Float.intBitsToFloat(0x7fc00001);
        double otherWideNan = Double.longBitsToDouble(0x7ff8000000000001L);
        return all(
                new Wide(0, 0f, 0.0),
                new Wide(0, -0f, 0.0),
                new Wide(0, 0f, -0.0),
                new Wide(0, Float.NaN, 0.0),
                new Wide(0, otherNan, 0.0),
                new Wide(0, 0f, Double.NaN),
                new Wide(0, 0f, otherWideNan),
                new Wide(0, Float.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY));
    }

    static Object references() {
        int[] same = {1, 2};
        Held a = new Held(null, null, null, null);
        Held b = new Held("any", "text", same, List.of("x"));
        Held c = new Held("any", "text", same, new ArrayList<>(Arrays.asList("x")));
        Held d = new Held("any", "text", same.clone(), List.of("x"));
        boolean sameHashes = b.hashCode() == c.hashCode();
        return "" + a + a.hashCode() + a.equals(new Held(null, null, null, null)) + a.equals(b) + b.equals(a)
                + b.equals(c) + b.equals(d) + sameHashes
                + b.toString().startsWith("Held[any=any, text=text, numbers=[I@");
    }

    static Object nestedRecords() {
        return all(
                new Outer(new Inner(1), new Inner(2)),
                new Outer(new Inner(1), new Inner(2)),
                new Outer(null, null),
                new Outer(new Inner(2), new Inner(1)),
                new Inner(1));
    }

    static Object generics() {
        String[] more = null;
        return all(new Of<>("a", more), new Of<>("a", more), new Of<>("b", more), new Of<Integer>(1, null));
    }

    static Object methodsWrittenByHand() {
        return all(new Written(1, 2), new Written(1, 3), new Partly(1, 2), new Partly(1, 2), new Partly(1, 3));
    }

    static Object localRecords() {
        record Local(int x, String y) {}
        record Empty() {}
        return all(new Local(1, "y"), new Local(1, "y"), new Local(2, null), new Empty());
    }

    static Object recordsWithADollar() {
        record My$Own(int x) {}
        return all(new My$Own(1), new Dollar$Sign(2));
    }

    record Dollar$Sign(int value) {}

    record Endless(List<Object> inside) {}

    static Object componentsOfComponents() {
        var list = new ArrayList<>();
        list.add(new Endless(List.of()));
        return all(new Endless(list), new Endless(List.of(new Endless(List.of()))));
    }
}
