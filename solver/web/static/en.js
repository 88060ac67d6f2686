/**
 * The texts of the page in English.
 *
 * A text that needs a plural is a function that takes its facts apart in the parameter, so that
 * `factsOf` of text.js can read their names. Keys are the same in every language, but for those that
 * begin with "served.": such sentences come from the server, which speaks English only.
 */

const counted = (number, one, many = `${one}s`) =>
  `${number.toLocaleString("en-US")} ${number === 1 ? one : many}`;
const plies = (number) => counted(number, "ply", "plies");
const times = (number) => (number === 1 ? "once" : number === 2 ? "twice" : `${number} times`);
const left = (number) => (number === 1 ? "the last one" : `${number} left`);
const few = (number) => ["no", "one", "two", "three", "four", "five", "six"][number] ?? number;

/** Texts by key. */
export const english = Object.freeze({
  // -- the page ---------------------------------------------------------------------------------
  "page.name": "Morris",
  "page.title": "{name} · Morris",
  "page.about": "Perfect play for Nine Men’s Morris and its relatives",
  "page.skip": "Skip to the board",
  "page.noscript": "This page needs JavaScript.",
  "page.keys":
    "On the board, arrow keys go from point to point, Enter or Space clicks, Escape lets go. Elsewhere ← takes a turn back and → plays it again, as u and r do everywhere.",
  "list.separator": ", ",
  "language.name": "English",

  // -- sides and their stones -------------------------------------------------------------------
  "side.white": "White",
  "side.black": "Black",
  "hand.none": ({ colour, count }) => `${colour}: ${counted(count, "stone")} on the board`,
  "hand.count": ({ colour, count }) => `${colour}: ${counted(count, "stone")} in hand`,

  // -- choices ----------------------------------------------------------------------------------
  "label.variant": "Game",
  "label.language": "Language",
  "label.opponent": "Opponent",
  "label.side": "You play",
  "variant.nine": "Nine Men’s Morris",
  "variant.nine-no-flying": "Nine Men’s Morris without flying",
  "variant.nine-tournament": "Nine Men’s Morris, two mills take two",
  "variant.six": "Six Men’s Morris",
  "variant.five": "Five Men’s Morris",
  "variant.four": "Four Men’s Morris",
  "variant.seven": "Seven Men’s Morris",
  "variant.ten": "Ten Men’s Morris",
  "variant.eleven": "Eleven Men’s Morris",
  "variant.twelve": "Twelve Men’s Morris",
  "variant.morabaraba": "Morabaraba",
  "variant.lasker": "Lasker Morris",
  "variant.three": "Three Men’s Morris",
  "variant.tic-tac-toe": "Tic-tac-toe",
  "variant.dara": "Dara",
  "variant.with": "{name} ({options})",
  "option.stones": "Stones for each side",
  "option.stones.value": "{value}",
  "option.flying": "Flying",
  "option.flying.3": "with three stones",
  "option.flying.never": "never",
  "option.double-mill": "Two mills at once",
  "option.double-mill.1": "take one stone",
  "option.double-mill.2": "take two stones",
  "option.all-in-mills": "When all stones are in mills",
  "option.all-in-mills.any": "any may be taken",
  "option.all-in-mills.none": "none may be taken",
  "option.repetition": "Draw by repetition",
  "option.repetition.0": "never",
  "option.repetition.value": "at occurrence {value}",
  "option.quiet_limit": "Draw without captures",
  "option.quiet_limit.0": "never",
  "option.quiet_limit.value": "after {value} plies",
  "option.usual": "{value} (usual)",
  "opponent.none": "Two people",
  "level.perfect": "Perfect program",
  "level.hard": "Hard program",
  "level.normal": "Normal program",
  "level.easy": "Easy program",
  "level.other": "Program, level {name}",
  "level.never": "{name} (never errs)",
  "level.rate": "{name} (errs 1 turn in {turns})",

  // -- buttons ----------------------------------------------------------------------------------
  "button.undo": "Take back",
  "button.undo.hint": "Take the last turn back (u)",
  "button.redo": "Play again",
  "button.redo.hint": "Play the turn again that was taken back (r)",
  "button.new": "New game",
  "button.new.hint": "Begin again with the empty board",
  "button.setup": "Set up",
  "button.setup.hint": "Put stones where you like",
  "button.line": "Best play",
  "button.line.hint": "Show how the game goes on with best play by both sides",
  "button.line.hide": "Hide best play",
  "button.reveal": "Show the answers",
  "button.reveal.hide": "Hide the answers",
  "button.reveal.hint": "Show or hide what the tables say of this position and its turns",
  "button.copy-command": "Copy",
  "button.copy": "Copy position",
  "button.copy.hint": "Copy the position as text, as the command line reads it",
  "copy.command": "Copied",
  "copy.not": "Not allowed by the browser",
  "copy.done": "Copied: {text}",
  "copy.failed": "The browser did not allow copying. The position is {text}",
  "label.game": "Game",
  "label.controls": "Controls",

  // -- what is due ------------------------------------------------------------------------------
  "due.loading": "The position is being read …",
  "due.place": ({ colour, count }) =>
    `${colour} to place a stone on a free point (${left(count)}).`,
  "due.move": "{colour} to move a stone to a free point next to it.",
  "due.fly": "{colour} to fly: a stone may go to any free point.",
  "due.place-move": ({ colour, count }) =>
    `${colour} to place a stone (${left(count)}), or to move one to a free point next to it.`,
  "due.place-fly": ({ colour, count }) =>
    `${colour} to place a stone (${left(count)}), or to fly: a stone may go to any free point.`,
  "due.target": "{colour} moves the stone on {point}: choose a free point for it.",
  "due.take": "{colour} has closed a mill: choose a stone of {opponent}’s to take.",
  "due.take-first":
    "{colour} has closed two mills: choose the first of two stones of {opponent}’s to take.",
  "due.take-second": "{colour} takes a second stone of {opponent}’s: choose it.",
  "due.back": "“Take back” or Escape undoes the half turn.",
  "due.you": "Your turn.",
  "due.thinking": "{colour}, the program, is thinking …",
  "due.replied": "{colour}, the program, has played {move}.",
  "due.setup": "Setting up: a click puts a stone on a point or takes it away.",

  // -- how the game ended (the sentence itself comes from the server) ---------------------------
  "end.play-on": "You may play on.",
  "end.you.won": "You have won!",
  "end.you.lost": "You have lost.",
  "notice.new-game": "A new game has begun; the browser’s Back button leads to the one before.",

  // -- values -----------------------------------------------------------------------------------
  "value.heading": "Value",
  "value.win": ({ colour, count }) => `${colour} wins in ${plies(count)}.`,
  "value.loss": ({ colour, count }) => `${colour} loses in ${plies(count)}.`,
  "value.win.unknown":
    "{colour} wins; in how many plies, only a table of distances would tell.",
  "value.loss.unknown":
    "{colour} loses; in how many plies, only a table of distances would tell.",
  "value.draw": "The game is a draw with best play.",
  "value.wait": "Asking the tables …",
  "value.hidden": "Hidden while you play.",
  "value.without-draw": "Without that draw: {value}",
  "value.none": "The value is not known: a table is missing.",
  "value.word.win": "win",
  "value.word.draw": "draw",
  "value.word.loss": "loss",
  "value.word.unknown": "not known",
  "value.letter.win": "W",
  "value.letter.draw": "=",
  "value.letter.loss": "L",
  "value.in.win": "win in {count}",
  "value.in.loss": "loss in {count}",
  "status.quiet": ({ count, left }) =>
    `${plies(count)} without a capture, ${plies(left)} left.`,
  "status.occurrences": ({ count }) => `This position has occurred ${times(count)}.`,

  // -- why a click is refused -------------------------------------------------------------------
  "refusal.occupied": "{point} is occupied.",
  "refusal.not-yours": "The stone on {point} is {opponent}’s, and {colour} is to move.",
  "refusal.stuck": "The stone on {point} cannot move: no point next to it is free.",
  "refusal.stuck-row": "The stone on {point} cannot move: it would make too long a row.",
  "refusal.not-adjacent.never": "{from} and {to} are not adjacent, and nobody flies in this game.",
  "refusal.not-adjacent.flying": ({ from, to, colour, stones }) =>
    `${from} and ${to} are not adjacent, and ${colour} flies only with exactly ${few(stones)} stones.`,
  "refusal.not-adjacent.flying-hand": ({ from, to, colour, stones }) =>
    `${from} and ${to} are not adjacent, and ${colour} flies only with exactly ${few(stones)} stones` +
    " on the board and in hand together.",
  "refusal.hand-first": ({ colour, count }) =>
    `${colour} has ${counted(count, "stone")} in hand and must place one on a free point.`,
  "refusal.no-hand": "{colour} has no stones in hand: choose a stone on the board to move.",
  "refusal.take-own": "{point} is {colour}’s own: take a stone of {opponent}’s.",
  "refusal.take-empty": "There is no stone on {point} to take: choose one of {opponent}’s.",
  "refusal.taken": "The stone on {point} is taken already: choose another one.",
  "refusal.protected":
    "{point} may not be taken: a stone in a mill is protected while another is in none.",
  "refusal.not-taken": "{point} may not be taken in this turn.",
  "refusal.row-place":
    "{point} would make three or more in a row, which is forbidden while stones are placed.",
  "refusal.row-move": "{from}–{to} would make more than three in a row, which is forbidden.",
  "refusal.over": "The game is over.",
  "refusal.theirs": "It is the turn of {colour}, whom the program plays.",
  "refusal.loading": "The position is still being read.",
  "refusal.no-undo": "There is no turn to take back.",
  "refusal.no-redo": "There is no turn to play again.",

  // -- the points of the board, for screen readers ----------------------------------------------
  "board.label": "Board of {name}",
  "point.empty": "{point}, free",
  "point.white": "{point}, white stone",
  "point.black": "{point}, black stone",
  "point.can.place": "a stone can be placed here",
  "point.can.move": "can move",
  "point.can.go": "the stone can go here",
  "point.can.take": "can be taken",
  "point.chosen": "chosen",
  "point.last": "moved last",
  "point.from": "moved away last",
  "point.captured": "a stone was taken here",
  "point.mill": "in a mill",

  // -- set-up -----------------------------------------------------------------------------------
  "setup.heading": "Set up a position",
  "setup.help":
    "Choose what to put, then click points; or drag stones. The same stone again takes it away, another replaces it.",
  "setup.tool": "Put",
  "setup.tool.white": "White",
  "setup.tool.black": "Black",
  "setup.tool.erase": "Remove",
  "setup.white-hand": "White’s hand",
  "setup.black-hand": "Black’s hand",
  "setup.to-move": "To move",
  "setup.clear": "Clear the board",
  "setup.swap": "Exchange colours",
  "setup.turn": "Turn",
  "setup.turn.hint": "Turn the board clockwise",
  "setup.mirror": "Mirror",
  "setup.mirror.hint": "Exchange left and right",
  "setup.rings": "Exchange rings",
  "setup.rings.hint": "Exchange the inner and the outer ring",
  "setup.text": "Position as text",
  "setup.text.help": "Such as w:Wa4,b6,c3,g4:Ba1,a7,g1,g7 (Sanmill’s texts are understood too).",
  "setup.done": "Play from here",
  "setup.cancel": "Leave set-up",
  "setup.good": "This position can be played.",
  "setup.number": "A hand holds a whole number of stones, 0 or more.",

  // -- errors -----------------------------------------------------------------------------------
  "error.offline": "The server does not answer. Is it still running?",
  "error.unexpected": "The server gave an answer that the page does not understand ({status}).",
  "error.bad request": "The server does not accept this: {error}",
  "error.not found": "There is nothing at this address: {error}",
  "error.too long": "This is too long for one request.",
  "error.damaged table": "A table is damaged, so its values cannot be had: {error}",
  "error.variant": "No game is called {name}.",
  "error.stopping": "The server is being stopped.",
  "error.busy": "The server has too much to do just now. Try again in a moment.",
  "error.too slow": "The answer took too long. Try again in a moment.",
  "error.no resources": "A table cannot be read just now: {error}",
  "error.method not allowed": "The server does not accept this kind of question: {error}",
  "error.internal": "The server has made a mistake; its log says more.",
  "error.retry": "Try again",
  "error.detail": "{error}",
  "error.address": "The address of this page does not fit: {error}",
  "error.address.reset": "Begin a new game instead",

  // -- missing tables ---------------------------------------------------------------------------
  "missing.sector": "The value needs the table of sector {sector}, which is not there yet.",
  "missing.any": "The value needs a table that is not there yet.",
  "missing.unsolvable": "It cannot be made here: {reason}",
  "missing.command": "This command makes it, with all that it needs:",
  "missing.makes": ({ count, size, time }) =>
    `This command makes it, ${count === 1 ? "one table" : `${counted(count, "table")} in all`} (${size}, ${time}):`,
  "missing.small": "A small game is solved in seconds:",
  "missing.still": "Two people can play here all the same.",
  "missing.there": "With answers there are:",
  "missing.endgame": "{name}, an endgame",
  "size.GB": "{size} GB",
  "size.MB": "{size} MB",
  "time.moment": "a few seconds",
  "time.days": ({ count }) => `about ${counted(count, "day")}`,
  "time.hours": ({ count }) => `about ${counted(count, "hour")}`,
  "time.minutes": ({ count }) => `about ${counted(count, "minute")}`,
  "time.seconds": ({ count }) => `about ${counted(count, "second")}`,
  "missing.opponent": "The program cannot play here: it needs the missing table.",
  "damaged.opponent": "The program cannot play here: a table it needs is damaged.",

  // -- panels -----------------------------------------------------------------------------------
  "moves.heading": "Turns",
  "moves.group.win": ({ count }) => `Winning (${count.toLocaleString("en-US")})`,
  "moves.group.draw": ({ count }) => `Drawing (${count.toLocaleString("en-US")})`,
  "moves.group.loss": ({ count }) => `Losing (${count.toLocaleString("en-US")})`,
  "moves.group.unknown": ({ count }) => `Legal (${count.toLocaleString("en-US")})`,
  "moves.some": "{shown} of {all}",
  "moves.none": "There is no legal turn.",
  "moves.wait": "The tables are being asked what each is worth …",
  "move.win": ({ move, count }) => `${move}: win in ${plies(count)}`,
  "move.loss": ({ move, count }) => `${move}: loss in ${plies(count)}`,
  "move.win.unknown": "{move}: win",
  "move.loss.unknown": "{move}: loss",
  "move.draw": "{move}: draw",
  "move.unknown": "{move}",
  "move.best": "{move}, one of the best",
  "record.heading": "Game so far",
  "record.start": "Start",
  "record.ply": "{ply}. {move}, {colour}",
  "line.none": "There is nothing left to play.",
  "line.wait": "Best play is being looked up …",
  "line.ended.loss": "{colour} has lost.",
  "line.ended.draw": "The board is full: a draw.",
  "line.ended.repetition": "From here the play repeats itself: a draw.",
  "line.ended.limit": "And so on.",
  "line.entry": "{ply}. {move}",

  // -- how long games of the sector last ----------------------------------------------------------
  "histogram.heading": "How long games last",
  "histogram.title": "Sector {sector}: positions by plies to the end",
  "histogram.wins": "wins",
  "histogram.losses": "losses",
  "histogram.draws": "draws",
  "histogram.no-wins": "no wins",
  "histogram.no-losses": "no losses",
  "histogram.none": "No position of this sector is won or lost.",
  "histogram.axis": "plies",
  "histogram.log": "logarithmic scale",
  "histogram.here": "here: {count}",
  "histogram.here.draw": "here: draw",
  "histogram.here.win": "here: win",
  "histogram.here.loss": "here: loss",
  "histogram.bar.win": ({ depth, count }) => `win in ${depth}: ${counted(count, "position")}`,
  "histogram.bar.loss": ({ depth, count }) => `loss in ${depth}: ${counted(count, "position")}`,
  "histogram.shares": ({ wins, draws, losses }) =>
    `${counted(wins, "win")}, ${counted(draws, "draw")}, ${counted(losses, "loss", "losses")} for the side to move, counted up to symmetry.`,
  "histogram.share": "{share}%",
  "histogram.deepest.win": ({ depth, count }) =>
    `The longest win takes ${plies(depth)} (${counted(count, "position")}).`,
  "histogram.deepest.loss": ({ depth, count }) =>
    `The longest loss takes ${plies(depth)} (${counted(count, "position")}).`,
  "histogram.wdl": "The table of this sector tells no distances, only win, draw or loss.",
  "histogram.place.win": ({ depth, share }) =>
    `This position is won in ${plies(depth)}; ${share}% of the sector’s wins take as long or longer.`,
  "histogram.place.loss": ({ depth, share }) =>
    `This position is lost in ${plies(depth)}; ${share}% of the sector’s losses take as long or longer.`,
  "histogram.place.draw": ({ share }) =>
    `This position is drawn, as ${share}% of the sector’s positions are.`,
  "histogram.wait": "The table of sector {sector} is being read …",

  // -- rules ------------------------------------------------------------------------------------
  "rules.heading": "Rules",
  "rules.of": "Rules of {name}",
  "rules.board": "Board",
  "rules.stones": "Stones",
  "rules.turns": "Turns",
  "rules.flying": "Flying",
  "rules.a mill": "A mill",
  "rules.two at once": "Two at once",
  "rules.protection": "Protection",
  "rules.rows": "Rows",
  "rules.lost": "Who has lost",
  "rules.full board": "Full board",
  "rules.repetition": "Repetition",
  "rules.quiet limit": "Limit of quiet play",
  "rules.with -r": "What -r changes",
  "rules.ply": "A ply is one turn of one side, with the capture if there is one.",

  // -- symmetries -------------------------------------------------------------------------------
  "symmetries.heading": "Symmetries",
  "symmetries.count": ({ count }) => `${counted(count, "different image")} of this position.`,
  "symmetries.one": "This position looks the same from every side.",
  "symmetries.same": "as it stands",
  "symmetries.turned.1": "turned a quarter clockwise",
  "symmetries.turned.2": "turned by half",
  "symmetries.turned.3": "turned a quarter anticlockwise",
  "symmetries.mirrored": "left and right exchanged",
  "symmetries.swapped": "inner and outer ring exchanged",

  // -- joining sentences, and what else the page says --------------------------------------------
  "sentence.separator": " ",
  "options.heading": "Changes to the rules",
  "refusal.level": "No opponent is called {name}: two people play now.",
  "refusal.problem": "The position cannot be shown yet: see above.",
});
