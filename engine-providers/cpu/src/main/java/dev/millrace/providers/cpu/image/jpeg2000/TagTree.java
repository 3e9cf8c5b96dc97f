package dev.millrace.providers.cpu.image.jpeg2000;

import java.util.ArrayList;
import java.util.List;

/**
 * A tag tree: numbers of a grid coded by a pyramid of minima. A query reads the bits of the number and of the minima
 * above it, as far as needed.
 */
final class TagTree {
    private final List<Level> levels = new ArrayList<>();

    /** The state of each number of a level: its lower bound, and whether the number equals it. */
    private record Level(int width, int[] least, boolean[] known) {}

    TagTree(int width, int height) {
        int levelWidth = width;
        int levelHeight = height;
        while (levelWidth > 0 && levelHeight > 0) {
            int count = levelWidth * levelHeight;
            levels.add(new Level(levelWidth, new int[count], new boolean[count]));
            if (count == 1) {
                break;
            }
            levelWidth = (levelWidth + 1) / 2;
            levelHeight = (levelHeight + 1) / 2;
        }
    }

    /** Reads bits until it is known whether the number at a place is less than {@code limit}. */
    boolean isLess(HeaderBits in, int x, int y, int limit) {
        int least = 0;
        for (int i = levels.size() - 1; i >= 0; i--) {
            Level level = levels.get(i);
            int at = (y >> i) * level.width + (x >> i);
            least = Math.max(least, level.least[at]);
            while (least < limit && !level.known[at]) {
                if (in.bit() == 1) {
                    level.known[at] = true;
                } else {
                    least++;
                }
            }
            level.least[at] = least;
        }
        return least < limit;
    }
}
