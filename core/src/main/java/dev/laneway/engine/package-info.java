/** The engine behind the API. Nothing here is for users; it may change at any time. */
@NullMarked
package dev.laneway.engine;

import org.jspecify.annotations.NullMarked;
