package dev.millrace.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * BERT's tokens: text in lower case without accents, cut at spaces and punctuation, each word cut into the longest pieces
 * that the vocabulary has.
 */
public final class WordPiece {
    private static final int LONGEST_WORD = 100;

    private final Map<String, Integer> vocabulary;

    WordPiece(Map<String, Integer> vocabulary) {
        this.vocabulary = Map.copyOf(vocabulary);
    }

    /** Reads the vocabulary of a Hugging Face {@code tokenizer.json}. */
    public static WordPiece read(Path tokenizerJson) throws IOException {
        var vocabulary = new HashMap<String, Integer>();
        try (var in = Files.newInputStream(tokenizerJson);
                JsonParser json = new JsonFactory().createParser(ObjectReadContext.empty(), in)) {
            boolean inside = false;
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.PROPERTY_NAME && json.currentName().equals("vocab")) {
                    inside = true;
                } else if (inside && token == JsonToken.VALUE_NUMBER_INT) {
                    vocabulary.put(json.currentName(), json.getIntValue());
                } else if (inside && token == JsonToken.END_OBJECT) {
                    break;
                }
            }
        }
        return new WordPiece(vocabulary);
    }

    /** The numbers of a text's tokens, between the marks for begin and end. */
    public long[] encode(String text) {
        var ids = new ArrayList<Integer>();
        ids.add(id("[CLS]"));
        for (String word : words(text)) {
            ids.addAll(pieces(word));
        }
        ids.add(id("[SEP]"));
        return ids.stream().mapToLong(Integer::longValue).toArray();
    }

    private int id(String token) {
        return vocabulary.getOrDefault(token, 0);
    }

    private static List<String> words(String text) {
        String plain = Normalizer.normalize(text.toLowerCase(Locale.ROOT), Normalizer.Form.NFD)
                .replaceAll("\\p{Mn}", "");
        return List.of(plain.replaceAll("([\\p{Punct}\\p{IsPunctuation}])", " $1 ")
                .strip()
                .split("\\s+"));
    }

    private List<Integer> pieces(String word) {
        List<Integer> unknown = List.of(id("[UNK]"));
        if (word.length() > LONGEST_WORD) {
            return unknown;
        }
        var pieces = new ArrayList<Integer>();
        int start = 0;
        while (start < word.length()) {
            int end = word.length();
            while (end > start && !vocabulary.containsKey(piece(word, start, end))) {
                end--;
            }
            if (end == start) {
                return unknown;
            }
            pieces.add(id(piece(word, start, end)));
            start = end;
        }
        return pieces;
    }

    private static String piece(String word, int start, int end) {
        return (start == 0 ? "" : "##") + word.substring(start, end);
    }
}
