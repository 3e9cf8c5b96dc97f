package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.TreeMap;

/** The reader of a codestream: its markers, and the tiles between them. */
final class Codestream {
    private static final int START = 0xff4f;
    private static final int SIZE = 0xff51;
    private static final int STYLE = 0xff52;
    private static final int COMPONENT_STYLE = 0xff53;
    private static final int QUANTIZATION = 0xff5c;
    private static final int COMPONENT_QUANTIZATION = 0xff5d;
    private static final int REGION = 0xff5e;
    private static final int PROGRESSION_CHANGES = 0xff5f;
    private static final int PACKED_HEADERS = 0xff60;
    private static final int PACKED_TILE_HEADERS = 0xff61;
    private static final int TILE_PART = 0xff90;
    private static final int DATA = 0xff93;
    private static final int END = 0xffd9;
    /** The fewest bytes of a tile: a header of its own, and the marker before its data. */
    private static final int LEAST_TILE_BYTES = 14;

    private static final int MOST_PLANES = 4;

    private final Bytes bytes;
    private final Map<Integer, TileParts> tiles = new TreeMap<>();

    /** The parts of a tile that were found so far. */
    private record TileParts(TileSettings settings, ByteArrayOutputStream data) {}

    /** The samples of the first components. */
    record Image(Size size, int[][] planes) {}

    private Codestream(Bytes bytes) {
        this.bytes = bytes;
    }

    static Image read(Bytes bytes) {
        return new Codestream(bytes).image();
    }

    private Image image() {
        if (bytes.big16() != START || bytes.big16() != SIZE) {
            throw new IllegalArgumentException("the codestream does not begin with its size");
        }
        Size size = Size.read(content(bytes), bytes.array().length);
        if (size.tiles() > bytes.remaining() / LEAST_TILE_BYTES) {
            throw new IllegalArgumentException(size.tiles() + " tiles in " + bytes.remaining() + " bytes");
        }
        var main = new TileSettings(size.components().size(), null);
        int marker = readMarkers(bytes, main);
        while (marker == TILE_PART) {
            readTilePart(size, main);
            marker = bytes.remaining() < 2 ? END : bytes.big16();
        }
        if (marker != END || tiles.size() < size.tiles()) {
            throw new IllegalArgumentException(
                    "the codestream ends with " + tiles.size() + " of " + size.tiles() + " tiles");
        }
        int[][] planes = {};
        for (Map.Entry<Integer, TileParts> entry : tiles.entrySet()) {
            TileParts parts = entry.getValue();
            var tile = new Tile(size, entry.getKey(), parts.settings, bytes.joined(parts.data.toByteArray()));
            if (planes.length == 0) {
                planes = planes(size);
            }
            tile.decode(planes, bytes::check);
        }
        return new Image(size, planes);
    }

    private static int[][] planes(Size size) {
        int[][] planes = new int[Math.min(size.components().size(), MOST_PLANES)][];
        for (int i = 0; i < planes.length; i++) {
            Area area = size.samples(i);
            planes[i] = new int[area.width() * area.height()];
        }
        return planes;
    }

    /** Reads markers up to the first one that does not belong to a header, and returns that. */
    private static int readMarkers(Bytes bytes, TileSettings settings) {
        while (true) {
            int marker = bytes.big16();
            if (marker == TILE_PART || marker == DATA || marker == END) {
                return marker;
            }
            Bytes content = content(bytes);
            switch (marker) {
                case STYLE -> settings.readStyle(content);
                case COMPONENT_STYLE -> settings.readComponentStyle(content);
                case QUANTIZATION -> settings.readQuantization(content);
                case COMPONENT_QUANTIZATION -> settings.readComponentQuantization(content);
                case REGION -> settings.readRegion(content);
                case PROGRESSION_CHANGES -> settings.readChanges(content);
                case PACKED_HEADERS, PACKED_TILE_HEADERS ->
                    throw new UnsupportedOperationException(
                            "packet headers of their own (marker " + (marker == PACKED_HEADERS ? "PPM" : "PPT") + ")");
                default -> {
                    if (marker < 0xff00) {
                        throw new IllegalArgumentException(Integer.toHexString(marker) + " where a marker belongs");
                    }
                }
            }
        }
    }

    private static Bytes content(Bytes bytes) {
        return bytes.take(bytes.big16() - 2L);
    }

    private void readTilePart(Size size, TileSettings main) {
        int start = bytes.position() - 2;
        Bytes header = content(bytes);
        int index = header.big16();
        long length = header.big32();
        if (index >= size.tiles()) {
            throw new IllegalArgumentException("tile " + index + " of " + size.tiles());
        }
        Bytes part = bytes.take(length == 0 ? bytes.remaining() : start + length - bytes.position());
        TileParts tile = tiles.computeIfAbsent(
                index,
                i -> new TileParts(new TileSettings(size.components().size(), main), new ByteArrayOutputStream()));
        if (readMarkers(part, tile.settings) != DATA) {
            throw new IllegalArgumentException("the header of tile " + index + " has no end");
        }
        tile.data.write(part.array(), part.position(), part.remaining());
    }
}
