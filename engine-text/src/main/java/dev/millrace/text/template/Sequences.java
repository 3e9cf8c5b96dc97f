package dev.millrace.text.template;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Iteration, indexing and slicing of values. The elements of a string are its code points. */
final class Sequences {
    private Sequences() {}

    /** Returns the elements of a list, the keys of a dict, or the characters of a string. */
    static List<? extends @Nullable Object> elements(@Nullable Object value, Steps steps) {
        return switch (value) {
            case List<?> list -> list;
            case Map<?, ?> map -> {
                steps.elements(map.size());
                yield new ArrayList<@Nullable Object>(map.keySet());
            }
            case String text -> {
                steps.elements(text.length());
                var all = new ArrayList<@Nullable Object>(text.length());
                text.codePoints().forEach(c -> all.add(Character.toString(c)));
                yield all;
            }
            case Undefined _ -> List.of();
            case null, default -> throw new Failure(Values.kind(value) + " cannot be iterated");
        };
    }

    /** Returns a list that may be changed. */
    static List<@Nullable Object> copy(@Nullable Object value, Steps steps) {
        List<? extends @Nullable Object> elements = elements(value, steps);
        steps.elements(elements.size());
        return new ArrayList<@Nullable Object>(elements);
    }

    static long length(@Nullable Object value) {
        return switch (value) {
            case String text -> text.codePointCount(0, text.length());
            case List<?> list -> list.size();
            case Map<?, ?> map -> map.size();
            case Undefined _ -> 0;
            case null, default -> throw new Failure(Values.kind(value) + " has no length");
        };
    }

    /** Returns the part of a string between two indices of code points. */
    static String part(String text, int from, int to) {
        int begin = text.offsetByCodePoints(0, from);
        return text.substring(begin, text.offsetByCodePoints(begin, to - from));
    }

    /** Returns the element at an index, which counts from the end if it is negative; null where there is none. */
    static @Nullable Object at(Object sequence, long index, Undefined otherwise) {
        long length = length(sequence);
        long place = index < 0 ? index + length : index;
        if (place < 0 || place >= length) {
            return otherwise;
        }
        return sequence instanceof String text
                ? part(text, (int) place, (int) place + 1)
                : ((List<?>) sequence).get((int) place);
    }

    /** Returns every so many elements between two indices, which may be missing. */
    static Object slice(@Nullable Object sequence, @Nullable Long from, @Nullable Long to, long by, Steps steps) {
        if (!(sequence instanceof String) && !(sequence instanceof List)) {
            throw new Failure(Values.kind(sequence) + " cannot be sliced");
        }
        if (by == 0) {
            throw new Failure("the step of a slice is 0");
        }
        int length = (int) length(sequence);
        int begin = clamped(from, length, by > 0 ? 0 : length - 1, by);
        int end = clamped(to, length, by > 0 ? length : -1, by);
        if (sequence instanceof String text) {
            steps.chars(text.length());
            return by == 1 ? part(text, begin, Math.max(begin, end)) : everyChar(text, begin, end, by);
        }
        var part = new ArrayList<@Nullable Object>();
        steps.elements(Math.abs(end - begin));
        for (long i = begin; by > 0 ? i < end : i > end; i = next(i, by)) {
            part.add(((List<?>) sequence).get((int) i));
        }
        return sequence instanceof Tuple ? new Tuple(List.of(), part) : part;
    }

    private static int clamped(@Nullable Long index, int length, int otherwise, long by) {
        if (index == null) {
            return otherwise;
        }
        long place = index < 0 ? Math.max(index, -2L * length - 2) + length : index;
        return by > 0 ? Math.clamp(place, 0, length) : Math.clamp(place, -1, length - 1);
    }

    private static long next(long index, long by) {
        // no index is larger than a string, so a larger step ends the slice as well
        return index + Math.clamp(by, -Integer.MAX_VALUE, Integer.MAX_VALUE);
    }

    private static String everyChar(String text, int begin, int end, long by) {
        int[] points = text.codePoints().toArray();
        var part = new StringBuilder();
        for (long i = begin; by > 0 ? i < end : i > end; i = next(i, by)) {
            part.appendCodePoint(points[(int) i]);
        }
        return part.toString();
    }

    static Object reversed(@Nullable Object value, Steps steps) {
        if (value instanceof String text) {
            return slice(text, null, null, -1, steps);
        }
        List<@Nullable Object> copy = copy(value, steps);
        Collections.reverse(copy);
        return copy;
    }

    /** Joins two lists of the same kind. */
    static Object joined(List<?> a, List<?> b, Steps steps) {
        steps.elements((long) a.size() + b.size());
        var all = new ArrayList<@Nullable Object>(a);
        all.addAll(b);
        return a instanceof Tuple ? new Tuple(List.of(), all) : all;
    }

    static Object repeated(List<?> list, long times, Steps steps) {
        long count = Math.max(0, Math.min(times, Steps.MOST_ELEMENTS + 1L));
        steps.elements(list.size() * count);
        var all = new ArrayList<@Nullable Object>();
        for (int i = 0; i < count && !list.isEmpty(); i++) {
            all.addAll(list);
        }
        return list instanceof Tuple ? new Tuple(List.of(), all) : all;
    }

    static String repeated(String text, long times, Steps steps) {
        long count = Math.max(0, Math.min(times, Steps.MOST_CHARS + 1L));
        steps.chars(text.length() * count);
        return text.isEmpty() ? text : text.repeat((int) count);
    }
}
