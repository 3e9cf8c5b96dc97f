package dev.millrace.providers.simd.context;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Texts by number, each once. */
final class TextTable {
    private final Map<String, Integer> numbers = new LinkedHashMap<>();

    int number(String text) {
        return numbers.computeIfAbsent(text, _ -> numbers.size());
    }

    void write(ByteWriter to) {
        to.number(numbers.size());
        numbers.keySet().forEach(text -> to.bytes(text.getBytes(StandardCharsets.UTF_8)));
    }
}
