import Basics
import CSQLite
@preconcurrency import Glibc
import Horology

enum SQLValue {
  case integer(Int64)
  case text(String)
  case null

  init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

/// A row of a result, valid until the next one.
struct SQLRow {
  fileprivate let statement: OpaquePointer

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

  func text(_ column: Int32) -> String {
    sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
  }

  func time(_ column: Int32) -> Instant? {
    sqlite3_column_type(statement, column) == SQLITE_NULL
      ? nil : Instant(microseconds: integer(column))
  }
}

final class Database {
  let path: String
  private let handle: OpaquePointer
  /// True once SQLite has found it corrupt.
  private(set) var isBroken = false

  /// Opens an existing database.
  /// - Parameter patience: how long another program may hold it.
  init(path: String, patience: Duration) throws(Fault) {
    self.path = path
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      let fault = Self.fault(path, opened, code)
      sqlite3_close_v2(opened)
      throw fault
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Int32(patience / .milliseconds(1)))
  }

  deinit { sqlite3_close_v2(handle) }

  /// Whether the file was removed or replaced: what is written now is lost with this object.
  var hasMoved: Bool {
    var hasMoved: CInt = 0
    sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return hasMoved != 0
  }

  var changes: Int { Int(sqlite3_changes(handle)) }

  func execute(_ sql: String) throws(Fault) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw fault(code) }
  }

  /// - Parameter take: is given each row of the result.
  func run(
    _ sql: String, _ values: [SQLValue] = [], _ take: (SQLRow) -> Void = { _ in }
  ) throws(Fault) {
    var made: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &made, nil)
    guard code == SQLITE_OK, let statement = made else { throw fault(code) }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() { bind(value, Int32(index + 1), statement) }
    while true {
      let code = sqlite3_step(statement)
      switch code {
      case SQLITE_ROW: take(SQLRow(statement: statement))
      case SQLITE_DONE: return
      default: throw fault(code)
      }
    }
  }

  /// Does all of it or nothing, with one sync of the disk.
  func transaction(_ body: () throws(Fault) -> Void) throws(Fault) {
    try run("BEGIN IMMEDIATE")
    do throws(Fault) {
      try body()
      try run("COMMIT")
    } catch {
      // Some errors have already ended the transaction.
      try? run("ROLLBACK")
      throw error
    }
  }

  private func bind(_ value: SQLValue, _ index: Int32, _ statement: OpaquePointer) {
    switch value {
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    // SQLITE_TRANSIENT, a macro that casts -1: SQLite copies the text.
    case .text(let text):
      sqlite3_bind_text(
        statement, index, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    case .null: sqlite3_bind_null(statement, index)
    }
  }

  private func fault(_ code: Int32) -> Fault {
    let fault = Self.fault(path, handle, code)
    if fault.isOfBrokenDatabase { isBroken = true }
    return fault
  }

  private static func fault(_ path: String, _ handle: OpaquePointer?, _ code: Int32) -> Fault {
    let words = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
    let system = handle.map { sqlite3_system_errno($0) } ?? 0
    // For a file that cannot be opened or written, the kernel's reason says more.
    let isOfSystem = [SQLITE_CANTOPEN, SQLITE_IOERR].contains(code & 0xFF) && system != 0
    let reason = isOfSystem ? "\(words) (\(String(cString: strerror(system))))" : words
    return Fault("the register \(path)", code: code & 0xFF, reason)
  }
}

extension Fault {
  var isOfBrokenDatabase: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
  var isOfLockedDatabase: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
}
