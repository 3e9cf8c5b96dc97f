package dev.millrace.cli.fire;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** Changes the trees of tokenizers, and at times the bytes that they are written as. */
final class TokenizerMutator {
    private static final int LONG = 20_000;

    private final Random random;
    private final List<Place> places = new ArrayList<>();

    /** A place of a value, in a map or in a list. */
    private record Place(Object holder, Object key) {
        Object get() {
            Object value = holder instanceof Map<?, ?> map ? map.get(key) : ((List<?>) holder).get((Integer) key);
            return Objects.requireNonNull(value);
        }

        @SuppressWarnings("unchecked")
        void set(Object value) {
            if (holder instanceof Map<?, ?>) {
                ((Map<Object, Object>) holder).put(key, value);
            } else {
                ((List<Object>) holder).set((Integer) key, value);
            }
        }
    }

    private TokenizerMutator(Random random) {
        this.random = random;
    }

    static byte[] draw(Random random) {
        Map<String, Object> file = TokenizerSeeds.draw(random);
        for (int left = random.nextInt(4); left > 0; left--) {
            new TokenizerMutator(random).change(file);
        }
        var text = new StringBuilder();
        write(file, text);
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        if (random.nextInt(8) == 0) {
            for (int left = 1 + random.nextInt(3); left > 0; left--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
        }
        return random.nextInt(30) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    private void change(Map<String, Object> file) {
        collect(file);
        Place place = places.get(random.nextInt(places.size()));
        Object old = place.get();
        switch (random.nextInt(7)) {
            case 0 -> place.set(old instanceof String ? text() : old instanceof Number ? number() : value());
            case 1 -> place.set(value());
            case 2 -> place.set(copy(places.get(random.nextInt(places.size())).get()));
            case 3 -> remove(place);
            case 4 -> repeat(old);
            case 5 ->
                place.set(old instanceof String ? kindOrExpression() : old instanceof Number ? number() : copy(old));
            default ->
                place.set(old instanceof Number ? number() : old instanceof Boolean flag ? (Object) !flag : text());
        }
    }

    private void collect(Object value) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, inner) -> {
                places.add(new Place(map, key));
                collect(inner);
            });
        } else if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                places.add(new Place(list, i));
                collect(list.get(i));
            }
        }
    }

    private static void remove(Place place) {
        if (place.holder() instanceof Map<?, ?> map) {
            map.remove(place.key());
        } else {
            ((List<?>) place.holder()).remove((int) (Integer) place.key());
        }
    }

    @SuppressWarnings("unchecked")
    private void repeat(Object value) {
        if (value instanceof List<?> list && !list.isEmpty()) {
            var all = (List<Object>) list;
            all.addAll(Collections.nCopies(1 << random.nextInt(10), copy(list.get(random.nextInt(list.size())))));
        } else if (value instanceof Map<?, ?> map && !map.containsKey("type")) {
            var all = (Map<Object, Object>) map;
            for (int i = 1 << random.nextInt(10); i > 0; i--) {
                all.put("a".repeat(random.nextInt(9)) + i, random.nextInt(1000));
            }
        }
    }

    private static Object copy(Object value) {
        return switch (value) {
            case Map<?, ?> map -> {
                var made = new LinkedHashMap<Object, Object>();
                map.forEach((key, inner) -> made.put(key, copy(inner)));
                yield made;
            }
            case List<?> list -> {
                var made = new ArrayList<Object>();
                list.forEach(inner -> made.add(copy(inner)));
                yield made;
            }
            default -> value;
        };
    }

    private Object kindOrExpression() {
        return random.nextBoolean()
                ? TokenizerSeeds.KINDS.get(random.nextInt(TokenizerSeeds.KINDS.size()))
                : TokenizerSeeds.expression(random);
    }

    private Object number() {
        Object[] numbers = {
            -1,
            0,
            1,
            -5,
            7,
            0.5,
            255,
            1 << 20,
            1 << 24,
            Integer.MAX_VALUE,
            Integer.MAX_VALUE - 1,
            Integer.MIN_VALUE,
            200_000_000,
            1L << 31,
            1L << 40,
            Long.MAX_VALUE,
            1e300,
            -1e300,
            "1e999"
        };
        return numbers[random.nextInt(numbers.length)];
    }

    private String text() {
        return switch (random.nextInt(9)) {
            case 0 -> "";
            case 1 -> "a".repeat(1 + random.nextInt(LONG));
            case 2 -> "a";
            case 3 -> "\ud83e\udd80".repeat(1 + random.nextInt(3));
            case 4 -> "\ud83e";
            case 5 -> "<0x" + "0123456789ABCDEF".charAt(random.nextInt(16)) + "1>";
            case 6 -> "a\u0301\u0316".repeat(1 + random.nextInt(100));
            case 7 -> "\u2581";
            default -> TokenizerSeeds.expression(random);
        };
    }

    private Object value() {
        return switch (random.nextInt(7)) {
            case 0 -> TokenizerSeeds.list();
            case 1 -> TokenizerSeeds.object();
            case 2 -> random.nextBoolean();
            case 3 -> number();
            case 4 -> nested();
            default -> text();
        };
    }

    private Object nested() {
        Object made = TokenizerSeeds.list();
        for (int i = random.nextInt(600); i > 0; i--) {
            made = random.nextBoolean()
                    ? TokenizerSeeds.list(made)
                    : TokenizerSeeds.object("type", "Sequence", "normalizers", made);
        }
        return made;
    }

    private static void write(Object value, StringBuilder to) {
        switch (value) {
            case Map<?, ?> map -> {
                String between = "{";
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    to.append(between);
                    write(entry.getKey(), to);
                    to.append(':');
                    write(entry.getValue(), to);
                    between = ",";
                }
                to.append(map.isEmpty() ? "{}" : "}");
            }
            case List<?> list -> {
                String between = "[";
                for (Object each : list) {
                    to.append(between);
                    write(each, to);
                    between = ",";
                }
                to.append(list.isEmpty() ? "[]" : "]");
            }
            case String text
            when !text.equals("1e999") -> {
                to.append('"');
                text.chars()
                        .forEach(c -> to.append(
                                String.format(c < ' ' || c > '~' || c == '"' || c == '\\' ? "\\u%04x" : "%c", c)));
                to.append('"');
            }
            default -> to.append(value);
        }
    }
}
