package samples;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Lambdas with and without captured values. */
final class Captures {
    private final String name;

    private Captures(String name) {
        this.name = name;
    }

    static Object nothing() {
        Supplier<String> one = () -> "one";
        Supplier<String> two = () -> "two";
        return one.get() + two.get();
    }

    static Object aLambdaWithoutCapturesIsCreatedOnce() {
        var seen = new ArrayList<Runnable>();
        for (int i = 0; i < 3; i++) {
            Runnable run = () -> {};
            seen.add(run);
        }
        return seen.get(0) == seen.get(1) && seen.get(1) == seen.get(2);
    }

    static Object eachSmallPrimitive() {
        boolean z = true;
        byte b = -128;
        char c = '\uffff';
        short s = -32768;
        int i = Integer.MIN_VALUE;
        Supplier<List<Object>> all = () -> List.of(z, b, (int) c, s, i);
        return all.get();
    }

    static Object widePrimitivesBetweenSmallOnes() {
        int i = 7;
        long j = Long.MIN_VALUE + 1;
        float f = 1.5f;
        double d = -0.0;
        byte b = 3;
        double e = Double.MIN_VALUE;
        String text = "t";
        long k = -2;
        Supplier<String> all = () -> i + "," + j + "," + f + "," + d + "," + b + "," + e + "," + text + "," + k;
        return all.get();
    }

    static Object lambdasOfOneInterfaceShareFields() {
        long j = 1L << 40;
        int i = 5;
        String text = "shared";
        Object nothing = null;
        Supplier<Object> a = () -> j;
        Supplier<Object> b = () -> i + j;
        Supplier<Object> c = () -> text + nothing;
        Supplier<Object> d = () -> text.length() * i;
        Supplier<Object> e = () -> "none";
        return List.of(a.get(), b.get(), c.get(), d.get(), e.get());
    }

    static Object resultsOfPrimitives() {
        int i = 3;
        long j = 1L << 33;
        IntSupplier ints = () -> i * 2;
        LongSupplier longs = () -> j + i;
        DoubleSupplier doubles = () -> j / (double) i;
        return List.of(ints.getAsInt(), longs.getAsLong(), doubles.getAsDouble());
    }

    static Object arraysAndArguments() {
        int[] counts = {1, 2, 3};
        String[][] names = {{"a"}, {"b", "c"}};
        BiFunction<Integer, Integer, String> cell = (x, y) -> names[x][y] + counts[y];
        return cell.apply(1, 1) + cell.apply(0, 0);
    }

    static Object thisObject() {
        return new Captures("own").greeting("hello ").get()
                + new Captures("other").greeting("hi ").get();
    }

    private Supplier<String> greeting(String word) {
        return () -> word + name + suffix();
    }

    private String suffix() {
        return "!";
    }

    static Object nestedLambdas() {
        int i = 2;
        Function<Integer, Function<Integer, Function<Integer, Integer>>> sum =
                a -> b -> c -> (a * 100 + b * 10 + c) * i;
        return sum.apply(1).apply(2).apply(3);
    }

    static Object eachOfManyLambdasOfOneInterface() {
        List<Function<Integer, Integer>> all =
                List.of(x -> x, x -> x + 1, x -> x * 2, x -> x - 3, x -> -x, x -> x * x, x -> 9);
        return all.stream().map(each -> each.apply(5)).toList();
    }
}
