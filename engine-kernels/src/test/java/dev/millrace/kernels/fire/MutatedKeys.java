package dev.millrace.kernels.fire;

import dev.millrace.codegen.key.KernelKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Texts of keys that are nearly right, or not at all. */
final class MutatedKeys {
    private static final String[] VALUES = {
        "0",
        "1",
        "-1",
        "2",
        "3",
        "7",
        "16",
        "64",
        "1000000",
        "2147483647",
        "2147483648",
        "-2147483648",
        "1.5",
        "0x10",
        "",
        " 1",
        "none",
        "relu",
        "true",
        "\u0661",
        "a=b",
        "a:b",
        "null"
    };

    private final Random random;
    private final List<String> samples;

    MutatedKeys(Random random, List<KernelKey> samples) {
        this.random = random;
        this.samples = samples.stream().map(KernelKey::toString).toList();
    }

    /** Every other key has only values that keys of its family have, so that it is often a good one. */
    String next() {
        if (random.nextBoolean()) {
            return crossed(pick(samples));
        }
        String text = pick(samples);
        int changes = 1 + random.nextInt(2);
        for (int i = 0; i < changes; i++) {
            text = random.nextInt(20) == 0 ? scrambled(text) : changed(text);
        }
        return text;
    }

    /** Some values are those of another key of the same family. */
    private String crossed(String text) {
        int values = text.indexOf(':') + 1;
        String family = text.substring(0, values);
        List<String> others =
                samples.stream().filter(sample -> sample.startsWith(family)).toList();
        List<String> parts = new ArrayList<>();
        for (String part : text.substring(values).split(",", -1)) {
            String name = part.substring(0, part.indexOf('=') + 1);
            parts.add(random.nextInt(3) == 0 ? name + value(name, pick(others)) : part);
        }
        return family + String.join(",", parts);
    }

    private <T> T pick(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String changed(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return text + ":x=1";
        }
        String family = text.substring(0, colon);
        List<String> parts =
                new ArrayList<>(Arrays.asList(text.substring(colon + 1).split(",", -1)));
        int place = random.nextInt(parts.size());
        switch (random.nextInt(9)) {
            case 0 -> parts.remove(place);
            case 1 -> parts.add(place, parts.get(place));
            case 2 -> parts.add("surplus=1");
            case 3 -> family = KernelKey.parse(pick(samples)).family();
            case 4 -> parts.add(place, pick(Arrays.asList(pick(samples).split("[:,]"))));
            default -> parts.set(place, otherValue(parts.get(place)));
        }
        return family + ":" + String.join(",", parts);
    }

    private String otherValue(String part) {
        int equals = part.indexOf('=');
        if (equals < 0) {
            return part;
        }
        String name = part.substring(0, equals + 1);
        String value = part.substring(equals + 1);
        boolean isNumber = value.matches("[0-9]{1,6}");
        return switch (random.nextInt(4)) {
            case 0 -> name + pick(Arrays.asList(VALUES));
            case 1 -> name + value(name, pick(samples));
            default -> isNumber ? name + (Integer.parseInt(value) + random.nextInt(9) - 4) : name + scrambled(value);
        };
    }

    /** The value that a key has for a name, or 1. */
    private static String value(String name, String key) {
        int at = key.indexOf(name);
        if (at < 0) {
            return "1";
        }
        int end = key.indexOf(',', at);
        return key.substring(at + name.length(), end < 0 ? key.length() : end);
    }

    private String scrambled(String text) {
        StringBuilder changed = new StringBuilder(text);
        int at = random.nextInt(text.length() + 1);
        if (at < text.length() && random.nextBoolean()) {
            changed.deleteCharAt(at);
        } else {
            changed.insert(at, "0:,=() #x\n-".charAt(random.nextInt(11)));
        }
        return changed.toString();
    }
}
