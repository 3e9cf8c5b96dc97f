package dev.millrace.providers.cpu.image.jpeg2000;

import java.util.List;

/** One component in one tile. */
final class TileComponent {
    final Area area;
    final Resolution[] resolutions;
    final boolean reversible;
    private final CodingStyle style;
    private final int shift;

    TileComponent(int component, Size size, Area tile, TileSettings settings) {
        Size.Component one = size.components().get(component);
        style = settings.style(component);
        shift = settings.shift(component);
        area = tile.every(one.dx(), one.dy());
        reversible = style.reversible();
        resolutions = new Resolution[style.levels() + 1];
        for (int i = 0; i < resolutions.length; i++) {
            resolutions[i] = new Resolution(i, area, style, settings.quantization(component), one.depth());
        }
    }

    /** The samples where the transform is the one of whole numbers. */
    int[] whole(List<Precinct> precincts, Runnable check) {
        int[][] bands = new int[4][];
        bands[Subband.LOW] = coefficients(resolutions[0].bands[0], precincts, check);
        for (int i = 1; i < resolutions.length; i++) {
            for (Subband band : resolutions[i].bands) {
                bands[band.kind] = coefficients(band, precincts, check);
            }
            bands[Subband.LOW] = new WholeWavelet().join(resolutions[i].area, bands, check);
        }
        return bands[Subband.LOW];
    }

    /** The samples where the transform is the other one. */
    float[] real(List<Precinct> precincts, Runnable check) {
        float[][] bands = new float[4][];
        bands[Subband.LOW] = scaled(resolutions[0].bands[0], precincts, check);
        for (int i = 1; i < resolutions.length; i++) {
            for (Subband band : resolutions[i].bands) {
                bands[band.kind] = scaled(band, precincts, check);
            }
            bands[Subband.LOW] = new RealWavelet().join(resolutions[i].area, bands, check);
        }
        return bands[Subband.LOW];
    }

    private float[] scaled(Subband band, List<Precinct> precincts, Runnable check) {
        int[] doubled = doubled(band, precincts, check);
        float[] scaled = new float[doubled.length];
        float step = 0.5f * band.step;
        for (int i = 0; i < scaled.length; i++) {
            scaled[i] = doubled[i] * step;
        }
        return scaled;
    }

    private int[] coefficients(Subband band, List<Precinct> precincts, Runnable check) {
        int[] values = doubled(band, precincts, check);
        for (int i = 0; i < values.length; i++) {
            values[i] /= 2;
        }
        return values;
    }

    /** The coefficients of a band, doubled as the decoder of blocks leaves them. */
    private int[] doubled(Subband band, List<Precinct> precincts, Runnable check) {
        int width = band.area.width();
        int[] values = new int[width * band.area.height()];
        var decoder = new BlockDecoder();
        for (Precinct precinct : precincts) {
            for (Precinct.Blocks blocks : precinct.blocksRead()) {
                for (CodeBlock block : blocks.blocks) {
                    check.run();
                    if (blocks.band == band && block != null && block.data().length > 0) {
                        int[] decoded = decoder.decode(block, band.kind, style, shift);
                        place(block.area, decoded, values, width, band.area);
                    }
                }
            }
        }
        return values;
    }

    private void place(Area block, int[] decoded, int[] values, int width, Area band) {
        int at = 0;
        for (int y = block.y0() - band.y0(); y < block.y1() - band.y0(); y++) {
            for (int x = block.x0() - band.x0(); x < block.x1() - band.x0(); x++) {
                values[y * width + x] = shift == 0 ? decoded[at] : lowered(decoded[at]);
                at++;
            }
        }
    }

    /** Takes coefficients of the region that is more exact down again. */
    private int lowered(int value) {
        int magnitude = Math.abs(value);
        if (magnitude >> shift == 0) {
            return value;
        }
        return value < 0 ? -(magnitude >> shift) : magnitude >> shift;
    }
}
