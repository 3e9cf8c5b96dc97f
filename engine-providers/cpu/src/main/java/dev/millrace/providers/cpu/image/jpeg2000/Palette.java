package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;

/** A palette: a table of colours that samples are indices of. */
final class Palette {
    private final int[][] columns;
    /** The component of each channel, with its column of the palette, or -1 where the component is used directly. */
    private int[][] mapping = {};

    private Palette(int[][] columns) {
        this.columns = columns;
    }

    static Palette read(Bytes content) {
        int entries = content.big16();
        int[][] columns = new int[content.octet()][entries];
        int[][] scales = new int[columns.length][];
        for (int i = 0; i < columns.length; i++) {
            int depth = (content.octet() & 127) + 1;
            if (depth > 16) {
                throw new UnsupportedOperationException("a palette of " + depth + " bits; those of up to 16 are read");
            }
            scales[i] = Channel.scale(depth);
        }
        if (entries == 0) {
            throw new IllegalArgumentException("a palette without colours");
        }
        for (int entry = 0; entry < entries; entry++) {
            for (int i = 0; i < columns.length; i++) {
                int value = scales[i].length > 256 ? content.big16() : content.octet();
                columns[i][entry] = scales[i][value & scales[i].length - 1];
            }
        }
        return new Palette(columns);
    }

    void readMapping(Bytes content) {
        mapping = new int[content.remaining() / 4][2];
        for (int[] channel : mapping) {
            channel[0] = content.big16();
            boolean direct = content.octet() == 0;
            int column = content.octet();
            channel[1] = direct ? -1 : column;
        }
    }

    Channel[] channels(Codestream.Image decoded) {
        Channel[] components = Channel.all(decoded);
        var channels = new Channel[mapping.length];
        for (int i = 0; i < channels.length; i++) {
            int component = mapping[i][0];
            int column = mapping[i][1];
            if (component >= components.length || column >= columns.length) {
                throw new IllegalArgumentException("channel " + i + " is column " + column + " of " + columns.length
                        + " by component " + component + " of " + components.length);
            }
            channels[i] = column < 0 ? components[component] : Channel.mapped(decoded, component, columns[column]);
        }
        if (channels.length == 0) {
            throw new IllegalArgumentException("a palette that no channel is mapped to");
        }
        return channels;
    }
}
