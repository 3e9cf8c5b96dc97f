package dev.millrace.providers.cpu.image.jpeg2000;

import java.util.ArrayList;
import java.util.List;

/** Numbers of a grid, told by a pyramid of minima: what is asked of one is what its header says of all above it. */
final class TagTree {
    private final List<Level> levels = new ArrayList<>();

    /** For each number of a level what is known: that it is at least so much, and whether it is that. */
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

    /** Reads on until it is known whether the number at a place is less than {@code limit}. */
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
