package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A model file of SentencePiece.
 *
 * @param pieces the pieces by their ids
 * @param unknown the id of text that no piece has
 * @param first the id that begins a text
 * @param last the id that ends a text
 * @param charsMap the rules of normalisation; empty for none
 * @param addsPrefix whether a text begins with a space
 * @param removesSpaces whether spaces at the ends and several in a row go
 * @param fallsBack whether unknown text becomes bytes
 * @param mergesPairs whether neighbouring pieces are merged, best first (byte pair encoding), and not chosen by likelihood (unigram)
 */
record SentencePieceModel(
        List<Piece> pieces,
        int unknown,
        int first,
        int last,
        byte[] charsMap,
        boolean addsPrefix,
        boolean removesSpaces,
        boolean fallsBack,
        boolean mergesPairs) {
    private static final int UNIGRAM = 1;
    private static final int BYTE_PAIRS = 2;
    private static final int NORMAL = 1;
    private static final int UNKNOWN_KIND = 2;
    private static final int BYTE_KIND = 6;
    /** The sign for a space in pieces. */
    private static final String SPACE = "\u2581";
    /** The text of the piece for text that no piece has. */
    private static final String UNKNOWN_TEXT = " \u2047 ";

    private static final Pattern BYTE = Pattern.compile("<0x[0-9A-F]{2}>");

    /** A piece and the logarithm of its likelihood. */
    record Piece(String text, float score) {}

    /** Reads a file; a failure names the node. */
    static SentencePieceModel read(Node node, byte[] file) {
        var pieces = new ArrayList<Piece>();
        var trainer = new Settings();
        var normalizer = new Settings();
        try {
            var fields = new ProtoFields(file);
            while (fields.next()) {
                switch (fields.number()) {
                    case 1 -> pieces.add(piece(new ProtoFields(fields.bytes()), pieces.size()));
                    case 2 -> trainer.read(new ProtoFields(fields.bytes()));
                    case 3 -> normalizer.read(new ProtoFields(fields.bytes()));
                    default -> fields.skip();
                }
            }
        } catch (IndexOutOfBoundsException _) {
            throw EngineException.invalidGraph(node.describe() + ": its SentencePiece model is damaged");
        }
        int type = trainer.number(3, UNIGRAM);
        if (pieces.isEmpty() || type != UNIGRAM && type != BYTE_PAIRS) {
            throw EngineException.notImplemented(node.describe()
                    + ": a SentencePiece model of another type than unigram or byte pairs, or without pieces");
        }
        return new SentencePieceModel(
                List.copyOf(pieces),
                trainer.number(40, 0),
                trainer.number(41, 1),
                trainer.number(42, 2),
                normalizer.charsMap,
                normalizer.number(3, 1) != 0,
                normalizer.number(4, 1) != 0,
                trainer.number(35, 0) != 0,
                type == BYTE_PAIRS);
    }

    /** Returns the pairs of pieces that make another piece, those of the best piece first. */
    List<List<String>> merges() {
        var ids = new HashMap<String, Integer>();
        for (int i = 0; i < pieces.size(); i++) {
            ids.putIfAbsent(pieces.get(i).text(), i);
        }
        var merges = new ArrayList<List<String>>();
        pieces.stream()
                .sorted(Comparator.comparingDouble(Piece::score).reversed())
                .map(Piece::text)
                .forEach(piece -> {
                    for (int i = 1; i < piece.length(); i++) {
                        List<String> pair = List.of(piece.substring(0, i), piece.substring(i));
                        if (ids.keySet().containsAll(pair)) {
                            merges.add(pair);
                        }
                    }
                });
        return merges;
    }

    /** Returns the text of pieces. Pieces that stand for no text are left out. */
    String decode(long[] ids) {
        var text = new StringBuilder();
        var bytes = new ByteArrayOutputStream();
        for (long id : ids) {
            String piece = pieces.get((int) id).text();
            if (fallsBack && BYTE.matcher(piece).matches()) {
                bytes.write(Integer.parseInt(piece, 3, 5, 16));
                continue;
            }
            text.append(bytes.toString(StandardCharsets.UTF_8));
            bytes.reset();
            if (id == unknown) {
                text.append(UNKNOWN_TEXT);
            } else if (!piece.startsWith("\0")) {
                boolean isFirst = addsPrefix && text.isEmpty() && piece.startsWith(SPACE);
                text.append((isFirst ? piece.substring(1) : piece).replace(SPACE, " "));
            }
        }
        return text.append(bytes.toString(StandardCharsets.UTF_8)).toString();
    }

    private static Piece piece(ProtoFields fields, int id) {
        String text = "";
        float score = 0;
        int kind = NORMAL;
        while (fields.next()) {
            switch (fields.number()) {
                case 1 -> text = fields.text();
                case 2 -> score = fields.real();
                case 3 -> kind = (int) fields.varint();
                default -> fields.skip();
            }
        }
        boolean isText = kind == NORMAL || kind == BYTE_KIND || kind == UNKNOWN_KIND;
        // no text has a piece that stands for none, such as the end of a text
        return new Piece(isText ? text : "\0" + id, score);
    }

    /** The numbers of a message, and its rules of normalisation. */
    private static final class Settings {
        private final Map<Integer, Integer> numbers = new HashMap<>();
        private byte[] charsMap = {};

        void read(ProtoFields fields) {
            while (fields.next()) {
                if (fields.isNumber()) {
                    numbers.put(fields.number(), (int) fields.varint());
                } else if (fields.number() == 2 && fields.isBytes()) {
                    charsMap = fields.bytes();
                } else {
                    fields.skip();
                }
            }
        }

        int number(int field, int otherwise) {
            return numbers.getOrDefault(field, otherwise);
        }
    }
}
