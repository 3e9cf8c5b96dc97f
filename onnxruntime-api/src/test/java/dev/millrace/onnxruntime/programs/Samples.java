package dev.millrace.onnxruntime.programs;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.GraphicsEnvironment;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;

/** Pictures and sounds that are drawn and computed. */
public final class Samples {
    private Samples() {}

    public static BufferedImage canvas(int width, int height) {
        var image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, width, height);
        graphics.dispose();
        return image;
    }

    public static Graphics2D pen(BufferedImage image) {
        Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        return graphics;
    }

    /** Whether there are fonts to draw a page with. */
    public static boolean hasFonts() {
        return GraphicsEnvironment.getLocalGraphicsEnvironment().getAllFonts().length > 0;
    }

    /** A page with lines of text, one of them upside down and one a little turned. */
    public static BufferedImage page() {
        BufferedImage page = canvas(640, 384);
        Graphics2D graphics = pen(page);
        graphics.setColor(Color.BLACK);
        graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 32));
        graphics.drawString("Hello Millrace 2026", 40, 60);
        graphics.drawString("Invoice 1234.50 EUR", 90, 140);
        graphics.rotate(Math.PI, 320, 210);
        graphics.drawString("upside down", 200, 220);
        graphics.rotate(-Math.PI, 320, 210);
        graphics.rotate(0.08, 320, 300);
        graphics.drawString("a line that is turned", 150, 310);
        graphics.dispose();
        return page;
    }

    /** Vowels: pulses of a voice through the resonances of a mouth, in syllables, with pauses. */
    public static float[] speech() {
        float[] samples = new float[16000 * 5];
        double[][] formants = {{730, 1090, 2440}, {270, 2290, 3010}, {570, 840, 2410}, {530, 1840, 2480}};
        double[] low = new double[3];
        double[] high = new double[3];
        double phase = 0;
        for (int i = 0; i < samples.length; i++) {
            double time = i / 16000.0;
            boolean speaks = time > 0.6 && time < 2.1 || time > 3 && time < 4.4;
            phase += (120 + 20 * Math.sin(2 * Math.PI * 1.3 * time)) / 16000;
            double pulse = phase >= 1 ? 1 : 0;
            phase -= pulse;
            double sum = 0;
            double[] vowel = formants[(int) (time / 0.22) % formants.length];
            for (int f = 0; f < 3; f++) {
                double radius = Math.exp(-Math.PI * 90 / 16000);
                double next = pulse
                        + 2 * radius * Math.cos(2 * Math.PI * vowel[f] / 16000) * low[f]
                        - radius * radius * high[f];
                high[f] = low[f];
                low[f] = next;
                sum += next / (f + 1);
            }
            double syllable = 0.55 - 0.45 * Math.cos(2 * Math.PI * time / 0.22);
            samples[i] = (float) (speaks ? 0.03 * syllable * sum : 0) + (float) (1e-4 * Math.sin(i * 12.9898 * i));
        }
        return samples;
    }
}
